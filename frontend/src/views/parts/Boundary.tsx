import { Component, type ReactNode } from 'react';
import { t } from '../../i18n';

interface BoundaryProps {
  children: ReactNode;
  /** A new value retries. */
  of?: unknown;
}

/** Contains rendering errors, so that one part doesn't take down the window. */
export class Boundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.error !== null && before.of !== this.props.of) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="boundary" role="alert">
        <p>{t('boundary')}</p>
        <pre className="code-box">{error.message}</pre>
        <button type="button" className="button" onClick={() => this.setState({ error: null })}>
          {t('again')}
        </button>
      </div>
    );
  }
}
