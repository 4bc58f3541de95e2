// One file for the window: its own strings, and the sentences of the backend.
import calls from '../backend/calls.json';
import sentences from '../backend/zh.json';
import strings from '../zh.json';

export default { strings, sentences, calls };
