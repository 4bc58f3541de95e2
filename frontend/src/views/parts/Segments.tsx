import { useId } from 'react';

interface SegmentsProps<V extends string> {
  value: V;
  options: readonly (readonly [V, string])[];
  onChoose(value: V): void;
}

/** A choice of a few options side by side. A surrounding fieldset labels it. */
export function Segments<V extends string>({ value, options, onChoose }: SegmentsProps<V>) {
  const name = useId();
  return (
    <div className="segments">
      {options.map(([option, label]) => (
        <label key={option} className="segment" data-chosen={option === value}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChoose(option)} />
          {label}
        </label>
      ))}
    </div>
  );
}
