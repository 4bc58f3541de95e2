/** Two threads, one over and one under. */
export function Brand() {
  return (
    <svg
      viewBox="0 0 20 20"
      width="20"
      height="20"
      aria-hidden="true"
      focusable="false"
      className="brand-mark"
    >
      <path d="M5 3v14M10 3v5M10 12v5M15 3v14" />
      <path className="brand-weft" d="M2 10h1.5M6.5 10h7M16.5 10H18" />
    </svg>
  );
}
