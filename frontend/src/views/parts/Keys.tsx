import { keyLabels } from '../../keyboard/actions';

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {keyLabels(keys).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
