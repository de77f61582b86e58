/** How fields of the form know their mistake and tell that they were left. The mistakes are read once for all fields. */
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { KindSettings } from '../../../shared/kinds/registry';
import type { JobForm, Mistakes } from '../../store/jobForm';
import { shownMistakes } from '../../store/mistakes';
import { useSelected } from '../../store/select';
import { useStores } from '../stores';

const MistakesContext = createContext<Mistakes>({});

export function MistakesProvider({ children }: { children: ReactNode }) {
  const { editor } = useStores();
  const state = useSelected(editor, (all) => all);
  const { form, initial, answers, left, isTried, refused } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these parts of the state have a say
  const mistakes = useMemo(() => shownMistakes(state), [form, initial, answers, left, isTried, refused]);
  return <MistakesContext value={mistakes}>{children}</MistakesContext>;
}

export const useMistakes = (): Mistakes => useContext(MistakesContext);

type FieldProps = { path: string; error: string | undefined; onBlur: () => void };

/** What a field of the kit needs to be part of the form. */
export function useField(path: string): FieldProps {
  const { editor } = useStores();
  const mistakes = useMistakes();
  return { path, error: mistakes[path], onBlur: () => editor.getState().leave(path) };
}

/** Changes one property of the form. */
export function useFormChange(): (path: string, part: Partial<JobForm>) => void {
  const { editor } = useStores();
  return (path, part) => editor.getState().edit(path, (form) => ({ ...form, ...part }));
}

export function useForm<Part>(select: (form: JobForm) => Part): Part {
  const { editor } = useStores();
  return useSelected(editor, (state) => select(state.form));
}

type Values = Readonly<Record<string, unknown>>;

/** A change to one property of the settings. */
export function useSettings(): readonly [values: Values, change: (key: string, value: unknown) => void] {
  const { editor } = useStores();
  const settings = useForm((form) => form.settings);
  const change = (key: string, value: unknown): void =>
    editor.getState().edit(`settings.${key}`, (form) => ({
      ...form,
      settings: { ...form.settings, [key]: value } as KindSettings,
    }));
  return [settings, change];
}
