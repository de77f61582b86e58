/**
 * How a job kind or a channel describes its settings, so that forms are drawn from data and a new kind needs no form code.
 */

export type Field = {
  /** Dotted path inside the settings, as used in `Failure.fields`. */
  readonly path: string;
  readonly label: string;
  readonly control:
    | 'text'
    | 'multiline'
    | 'lines'
    | 'code'
    | 'script'
    | 'folder'
    | 'number'
    | 'switch'
    | 'choice'
    | 'pairs';
  readonly help?: string;
  readonly placeholder?: string;
  readonly choices?: readonly {
    readonly value: string;
    readonly label: string;
  }[];
  /** Shown only while another field has this value. */
  readonly visibleWhen?: { readonly path: string; readonly equals: string };
  readonly isSecret?: boolean;
};

/** What the registry of kinds or channels knows about one entry: its words and its form. The schema stands beside it. */
export type FormDescription = {
  readonly label: string;
  readonly hint: string;
  readonly fields: readonly Field[];
};
