import { PartialJson } from './partialjson';
import type { Json } from './types';

// The value of an input that is still being written, as far as it goes: what a display is drawn from. A fragment costs
// its own length; per snapshot the containers that are still open are copied once, so that whatever has not changed is
// the same object as before.

/** Characters that are read of one input; the rest is drawn once it is complete. */
const most = 1 << 20;
/** Containers and values that are made of one input. */
const mostValues = 50_000;
/** Levels that are read: what a display shows has a few. */
const mostLevels = 64;

type Container = Json[] | { [key: string]: Json };

interface Open {
  value: Container;
  /** The name that the next value of an object goes under. */
  name: string;
  /** Made or copied since the last snapshot: may be changed in place. */
  fresh: boolean;
}

export class Drawing {
  /** What was not read any more. */
  full = false;
  private root: Json | undefined;
  private readonly stack: Open[] = [];
  private readonly reader: PartialJson;
  private read = 0;
  private values = 0;
  private text = '';

  constructor(text = '') {
    const nothing = () => {};
    this.reader = new PartialJson(
      { started: nothing, text: nothing, complete: nothing, ended: nothing },
      {
        opened: (object) => this.open(object ? {} : []),
        closed: () => void this.stack.pop(),
        named: (name) => {
          const top = this.stack.at(-1);
          if (top !== undefined) top.name = name;
        },
        string: () => {
          this.text = '';
          this.put('');
        },
        grew: (more) => {
          this.text += more;
          this.replace(this.text);
        },
        scalar: (value) => this.put(value),
      },
    );
    if (text !== '') this.append(text);
  }

  append(fragment: string): void {
    if (this.full) return;
    this.read += fragment.length;
    if (this.read > most || this.values > mostValues || this.stack.length > mostLevels) this.full = true;
    else this.reader.write(fragment);
  }

  /** The value so far: the same object until it grows. */
  snapshot(): Json | undefined {
    for (const one of this.stack) one.fresh = false;
    return this.root;
  }

  private open(value: Container): void {
    this.put(value);
    this.stack.push({ value, name: '', fresh: true });
  }

  /** Adds a value where the document is. */
  private put(value: Json): void {
    this.values++;
    const top = this.writable();
    if (top === undefined) this.root = value;
    else if (Array.isArray(top.value)) top.value.push(value);
    else set(top.value, top.name, value);
  }

  /** Puts a string that has grown in the place of what it was. */
  private replace(value: string): void {
    const top = this.writable();
    if (top === undefined) this.root = value;
    else if (Array.isArray(top.value)) top.value[top.value.length - 1] = value;
    else set(top.value, top.name, value);
  }

  /** The innermost container, for changing: what a snapshot has handed out is copied first, and all that it is in. */
  private writable(): Open | undefined {
    const top = this.stack.at(-1);
    if (top === undefined || top.fresh) return top;
    for (const [i, one] of this.stack.entries()) {
      if (one.fresh) continue;
      one.value = Array.isArray(one.value) ? one.value.slice() : { ...one.value };
      one.fresh = true;
      const outer = this.stack[i - 1];
      if (outer === undefined) this.root = one.value;
      else if (Array.isArray(outer.value)) outer.value[outer.value.length - 1] = one.value;
      else set(outer.value, outer.name, one.value);
    }
    return top;
  }
}

/** Sets a property of its own, whatever it is called. */
function set(object: { [key: string]: Json }, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}
