import { PartialJson } from './partialjson';
import type { Json } from './types';

// The partial value of an input that is still being written, from which a display is drawn. A fragment costs its own
// length; a snapshot copies each open container once, so that everything unchanged keeps its identity.

/** Most characters parsed of one input; the rest is shown once it is complete. */
const most = 1 << 20;
/** Most containers and values created for one input. */
const mostValues = 50_000;
/** Deepest nesting that is parsed; displays only need a few levels. */
const mostLevels = 64;

type Container = Json[] | { [key: string]: Json };

interface Open {
  value: Container;
  /** The property name of the next value. */
  name: string;
  /** Created or copied since the last snapshot, so it may be modified in place. */
  fresh: boolean;
}

export class Drawing {
  /** A limit was reached, and the rest is not parsed. */
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

  /** Returns the value so far: the same object until it grows. */
  snapshot(): Json | undefined {
    for (const one of this.stack) one.fresh = false;
    return this.root;
  }

  private open(value: Container): void {
    this.put(value);
    this.stack.push({ value, name: '', fresh: true });
  }

  /** Adds a value at the current position. */
  private put(value: Json): void {
    this.values++;
    const top = this.writable();
    if (top === undefined) this.root = value;
    else if (Array.isArray(top.value)) top.value.push(value);
    else set(top.value, top.name, value);
  }

  /** Replaces a string that has grown. */
  private replace(value: string): void {
    const top = this.writable();
    if (top === undefined) this.root = value;
    else if (Array.isArray(top.value)) top.value[top.value.length - 1] = value;
    else set(top.value, top.name, value);
  }

  /**
   * Returns the innermost container for modification: anything a snapshot has returned is copied first, together with
   * its parents.
   */
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

/** Sets an own property, whatever its name. */
function set(object: { [key: string]: Json }, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}
