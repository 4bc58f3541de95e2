import { Copy, Search, Settings, X } from 'lucide-react';
import { useState } from 'react';
import { Field } from '../../views/parts/Field';
import { Keys } from '../../views/parts/Keys';
import { Segments } from '../../views/parts/Segments';
import { Tooltip } from '../../views/parts/Tooltip';
import { Specimen } from '../Specimen';
import { Stage } from '../Stage';

const kinds = [
  ['button', 'Cancel'],
  ['button primary', 'Save'],
  ['button plain', 'Not now'],
  ['text-button', 'Try again'],
] as const;

const icons = [
  ['icon-button', 'Settings', Settings],
  ['icon-button quiet', 'Copy', Copy],
] as const;

/** Buttons of every kind in every state except hover. */
function Buttons() {
  return (
    <>
      <Specimen of="Buttons">
        {kinds.map(([kind, label]) => (
          <button key={kind} type="button" className={kind}>
            {label}
          </button>
        ))}
        {icons.map(([kind, label, Icon]) => (
          <button key={kind} type="button" className={kind} aria-label={label} title={label}>
            <Icon size={16} aria-hidden />
          </button>
        ))}
      </Specimen>
      <Specimen of="Disabled">
        {kinds.map(([kind, label]) => (
          <button key={kind} type="button" className={kind} disabled>
            {label}
          </button>
        ))}
        {icons.map(([kind, label, Icon]) => (
          <button key={kind} type="button" className={kind} aria-label={label} title={label} disabled>
            <Icon size={16} aria-hidden />
          </button>
        ))}
      </Specimen>
      <Specimen of="With the focus">
        {kinds.map(([kind, label]) => (
          <button key={kind} type="button" className={kind} data-forced="focus-visible">
            {label}
          </button>
        ))}
        {icons.map(([kind, label, Icon]) => (
          <button
            key={kind}
            type="button"
            className={kind}
            aria-label={label}
            title={label}
            data-forced="focus-visible"
          >
            <Icon size={16} aria-hidden />
          </button>
        ))}
      </Specimen>
      <Specimen of="Under the pointer, pressed, with a menu that is open">
        {kinds.map(([kind, label]) => (
          <button key={kind} type="button" className={kind} data-forced="hover">
            {label}
          </button>
        ))}
        <button type="button" className="icon-button" aria-label="Follow" title="Follow" aria-pressed>
          <Settings size={16} aria-hidden />
        </button>
        <button type="button" className="icon-button" aria-label="Panels" title="Panels" data-popup-open>
          <Settings size={16} aria-hidden />
        </button>
      </Specimen>
    </>
  );
}

function Fields() {
  return (
    <div className="form gallery-form">
      <Field label="Name" note="What it is called in the list.">
        {(control) => <input {...control} className="field" defaultValue="Robin" />}
      </Field>
      <Field label="Command" aside={<span className="tag">Detected</span>}>
        {(control) => <input {...control} className="field" placeholder="robin acp" />}
      </Field>
      <Field label="Address, with a mistake" note="Enter an address that begins with https://.">
        {(control) => <input {...control} className="field" defaultValue="orchard" aria-invalid />}
      </Field>
      <Field label="Folder, with the focus">
        {(control) => (
          <input {...control} className="field" defaultValue="/home/ada" data-forced="focus-visible" />
        )}
      </Field>
      <Field label="Disabled">
        {(control) => <input {...control} className="field" defaultValue="As it was" disabled />}
      </Field>
      <Field label="Role">
        {(control) => <textarea {...control} className="field" rows={3} defaultValue="Counts the apples." />}
      </Field>
      <Field label="Agent">
        {(control) => (
          <select {...control} className="field" defaultValue="robin">
            <option value="robin">Robin</option>
            <option value="wren">Wren</option>
          </select>
        )}
      </Field>
      <p className="field-error">Name is required.</p>
    </div>
  );
}

function Choices() {
  const [density, setDensity] = useState<'comfortable' | 'compact'>('comfortable');
  return (
    <>
      <Specimen of="Segments">
        <fieldset className="gallery-fieldset">
          <legend className="form-label">Density</legend>
          <Segments<'comfortable' | 'compact'>
            value={density}
            options={[
              ['comfortable', 'Comfortable'],
              ['compact', 'Compact'],
            ]}
            onChoose={setDensity}
          />
        </fieldset>
      </Specimen>
      <Specimen of="Checks">
        {[
          { label: 'Off', defaultChecked: false },
          { label: 'On', defaultChecked: true },
          { label: 'Off, disabled', defaultChecked: false, disabled: true },
          { label: 'On, disabled', defaultChecked: true, disabled: true },
          { label: 'With the focus', defaultChecked: true, 'data-forced': 'focus-visible' },
        ].map(({ label, ...input }) => (
          <label key={label} className="check">
            <input type="checkbox" {...input} />
            {label}
          </label>
        ))}
      </Specimen>
      <Specimen of="Tags and keys">
        <span className="tag">Detected</span>
        <span className="tag accent">Default</span>
        <span className="tag caution">Not verified</span>
        <Keys keys="mod+shift+k" />
        <kbd>Esc</kbd>
      </Specimen>
      <Specimen of="Search">
        <label className="search">
          <Search size={14} aria-hidden />
          <input type="search" placeholder="Search spaces" aria-label="Search spaces" />
        </label>
      </Specimen>
      <Specimen of="Disclosures" wide>
        <details className="more">
          <summary>Advanced</summary>
          <p className="quiet-text">What is in it.</p>
        </details>
        <details className="more" open>
          <summary>Advanced</summary>
          <p className="quiet-text">What is in it.</p>
        </details>
      </Specimen>
    </>
  );
}

export function Controls() {
  return (
    <Stage>
      <Buttons />
      <Specimen of="Fields" wide>
        <Fields />
      </Specimen>
      <Choices />
    </Stage>
  );
}

/** A focused button shows its tooltip. */
export function Tips() {
  return (
    <Stage>
      <Specimen of="The tip of a button that has the focus">
        <Tooltip label="Close the panel" keys="mod+w">
          <button
            type="button"
            className="icon-button"
            aria-label="Close the panel"
            ref={(button) => button?.focus()}
          >
            <X size={16} aria-hidden />
          </button>
        </Tooltip>
      </Specimen>
    </Stage>
  );
}
