/** One event of a stream. */
export interface StreamEvent {
  name: string;
  data: string;
}

/** Parses Server-Sent Events, however the network has split them. */
export class StreamReader {
  private rest = '';
  private name = '';
  private data: string[] = [];

  /** Returns the events that end within the text. */
  read(text: string): StreamEvent[] {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    const events: StreamEvent[] = [];
    for (const line of lines) {
      if (line === '') {
        if (this.data.length > 0) events.push({ name: this.name, data: this.data.join('\n') });
        this.name = '';
        this.data = [];
      } else if (line.startsWith('data: ')) {
        this.data.push(line.slice(6));
      } else if (line.startsWith('event: ')) {
        this.name = line.slice(7);
      }
    }
    return events;
  }
}
