/** The gallery as a window of another width has it. */
export function Framed({ width }: { width: number }) {
  return (
    <iframe className="gallery-frame" title={`Gallery, ${width} px wide`} src={location.href} width={width} />
  );
}
