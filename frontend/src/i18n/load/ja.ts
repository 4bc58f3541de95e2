// One file for the window: its own strings, and the sentences of the backend.
import sentences from '../backend/ja.json';
import strings from '../ja.json';

export default { strings, sentences };
