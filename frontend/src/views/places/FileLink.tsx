import { type ReactNode, useEffect, useState } from 'react';
import { PlaceLink } from './PlaceLink';
import { placeAt } from './place';
import { useExisting } from './useExisting';

interface FileLinkProps {
  spaceId: string;
  /** A possible file name: an address or a path. */
  address: string;
  className?: string;
  children: ReactNode;
}

/** Text that opens a file of the space if its address names one. */
export function FileLink({ spaceId, address, className = '', children }: FileLinkProps) {
  const existing = useExisting(spaceId);
  const place = placeAt(address);
  const path = place?.path ?? '';
  const [found, setFound] = useState('');
  useEffect(() => {
    if (path === '') return;
    let wanted = true;
    void existing.exists(path).then((exists) => wanted && setFound(exists ? path : ''));
    return () => {
      wanted = false;
    };
  }, [existing, path]);
  if (place === null || found !== path) return <span className={className}>{children}</span>;
  return (
    <PlaceLink
      className={className}
      spaceId={spaceId}
      path={place.path}
      line={place.line}
      column={place.column}
    >
      {children}
    </PlaceLink>
  );
}
