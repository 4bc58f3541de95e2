import { printed } from '../../keyboard/actions';

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {printed(keys).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
