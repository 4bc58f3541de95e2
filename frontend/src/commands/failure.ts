// Why a command failed, for the views that show it.
export { asCommandError, CommandError } from '../transport/transport';
