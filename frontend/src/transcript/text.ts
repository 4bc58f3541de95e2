/**
 * Text that grows at its end. Appending costs the length of the appended text, and what was returned once is not copied
 * again: a reader keeps a position and takes the pieces after it.
 *
 * With a limit, pieces at the start are dropped once there is more than that (a live terminal).
 */
export class GrowingText {
  private pieces: string[] = [];
  private held = 0;
  private firstPiece = 0;
  private readonly limit: number;

  constructor(text = '', limit = Number.POSITIVE_INFINITY) {
    this.limit = limit;
    if (text !== '') this.append(text);
  }

  /** Characters in memory. */
  get length(): number {
    return this.held;
  }

  /** Whether pieces at the start were dropped. */
  get cut(): boolean {
    return this.firstPiece > 0;
  }

  /** Total number of pieces so far, which is the unit of a reader's position. */
  get end(): number {
    return this.firstPiece + this.pieces.length;
  }

  /** Number of pieces in memory. */
  get count(): number {
    return this.pieces.length;
  }

  append(text: string): void {
    if (text === '') return;
    this.pieces.push(text);
    this.held += text.length;
    if (this.held > this.limit * 2) this.dropStart();
  }

  /** Returns the pieces after a reader's position. */
  from(position: number): readonly string[] {
    return this.pieces.slice(Math.max(0, position - this.firstPiece));
  }

  /** Returns all text in memory. */
  toString(): string {
    return this.pieces.join('');
  }

  private dropStart(): void {
    let drop = 0;
    while (this.held > this.limit && drop < this.pieces.length - 1) {
      this.held -= this.pieces[drop]?.length ?? 0;
      drop++;
    }
    this.pieces.splice(0, drop);
    this.firstPiece += drop;
  }
}
