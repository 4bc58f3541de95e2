// One file for the window: its own strings, and the sentences of the backend.
import sentences from '../backend/es.json';
import strings from '../es.json';

export default { strings, sentences };
