/** Shows the gallery in an iframe of the given width. */
export function Framed({ width }: { width: number }) {
  return (
    <iframe className="gallery-frame" title={`Gallery, ${width} px wide`} src={location.href} width={width} />
  );
}
