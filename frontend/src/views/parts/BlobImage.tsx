import { type ImgHTMLAttributes, useEffect, useState } from 'react';
import { showable, showsByAddress } from '../../commands/blobs';

/** An image whose URL may be that of a blob. One that can't be loaded is shown as a broken image. */
export function BlobImage({
  src,
  alt,
  ...rest
}: ImgHTMLAttributes<HTMLImageElement> & { src: string; alt: string }) {
  return <img {...rest} src={useShowable(src)} alt={alt} />;
}

function useShowable(src: string): string | undefined {
  const direct = showsByAddress(src);
  const [read, setRead] = useState<{ src: string; url: string }>();
  useEffect(() => {
    if (direct) return;
    const one = showable(src);
    let gone = false;
    one.url.then(
      (url) => {
        if (!gone) setRead({ src, url });
      },
      () => {
        if (!gone) setRead({ src, url: 'blob:' });
      },
    );
    return () => {
      gone = true;
      one.release();
    };
  }, [src, direct]);
  if (direct) return src;
  return read?.src === src ? read.url : undefined;
}
