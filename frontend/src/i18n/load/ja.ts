// One bundle per language: the strings of the window and the sentences of the backend.
import calls from '../backend/calls.json';
import sentences from '../backend/ja.json';
import strings from '../ja.json';

export default { strings, sentences, calls };
