/**
 * Keeps a fault in one view from leaving an empty window. What the user typed lies in stores outside the views, so drawing
 * them again brings it back.
 */
import { Component, type ReactNode } from 'react';

type ErrorBoundaryProps = {
  children: ReactNode;
  /** What to show instead; `retry` draws the children again. */
  fallback: (retry: () => void) => ReactNode;
};

export class ErrorBoundary extends Component<ErrorBoundaryProps, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return this.props.fallback(() => this.setState({ isBroken: false }));
  }
}
