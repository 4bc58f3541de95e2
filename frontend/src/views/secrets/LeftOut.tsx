import { useId } from 'react';
import { oneLine } from '../parts/clean';

/** Settings whose secrets aren't in a backup, such as agents.NAME.env.OPENAI_API_KEY. */
export function LeftOut({ title, places }: { title: string; places: readonly string[] }) {
  const id = useId();
  if (places.length === 0) return null;
  return (
    <div className="omitted-secrets">
      <p id={id} className="form-note">
        {title}
      </p>
      <ul aria-labelledby={id}>
        {places.map((place) => (
          <li key={place}>
            <code>{oneLine(place)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
