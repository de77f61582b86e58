/**
 * Saving what the editor holds, and meeting what others did to the job meanwhile: fields that do not clash come together by
 * themselves, a deleted job is brought back. Nothing that was typed is ever given up here.
 */
import type { StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import type { Job } from '../../shared/model/job';
import type { Failure } from '../../shared/result';
import type { EditorState } from './editor';
import { formOf, type Mistakes, readForm } from './jobForm';
import { mergeForms } from './mergeForms';
import { formPaths, mistakesOf } from './mistakes';

const UNDECIDED: Failure = { code: 'conflict', message: 'Decide first which changes to keep.' };

/** `onMerged`: the form changed under the hands of its user, so what was asked about it is asked again. */
export function createSaving(bridge: Bridge, store: () => StoreApi<EditorState>, onMerged: () => void) {
  const get = (): EditorState => store().getState();
  const set = (part: Partial<EditorState>): void => store().setState(part);

  /** Looks at the job as it is now and takes over what was changed elsewhere. */
  const learn = async (isWanted: () => boolean): Promise<void> => {
    const { jobId, revision: known } = get();
    if (jobId === null || known === null) return;
    const reply = await bridge.request('jobs.get', { jobId });
    const { jobId: current, revision, initial, form, taken, clashes } = get();
    if (current !== jobId || revision === null || !isWanted()) return;
    if (!reply.ok) {
      if (reply.error.code === 'not_found') set({ isDeleted: true });
      return;
    }
    const { job } = reply.value;
    if (job.revision <= revision) {
      set({ isDeleted: false });
      return;
    }
    const merged = mergeForms(initial, form, formOf(job));
    set({
      revision: job.revision,
      isDeleted: false,
      initial: merged.initial,
      form: merged.form,
      taken: [...new Set([...taken, ...merged.taken])],
      clashes: [...new Set([...clashes, ...merged.clashes])],
    });
    onMerged();
  };

  const refuse = (failure: Failure | null, refused: Mistakes): null => {
    set({ isTried: true, isSaving: false, failure, refused, refusalCount: get().refusalCount + 1 });
    return null;
  };

  /** Why the deleted job could not be brought back, or null. One that is gone for good is made anew. */
  const bringBack = async (): Promise<Failure | null> => {
    const { isDeleted, jobId } = get();
    if (!isDeleted || jobId === null) return null;
    const reply = await bridge.request('jobs.restore', { jobId });
    if (reply.ok) set({ isDeleted: false, revision: reply.value?.revision ?? null });
    else if (reply.error.code === 'not_found') set({ isDeleted: false, jobId: null, revision: null });
    else return reply.error;
    return null;
  };

  const send = async () => {
    const { form, jobId, revision } = get();
    const reply = await bridge.request('jobs.save', {
      ...(jobId === null ? {} : { jobId }),
      ...(revision === null ? {} : { revision }),
      draft: readForm(form).draft,
    });
    return { form, reply };
  };

  const save = async (): Promise<Job | null> => {
    const { isSaving, isLoading, jobId, revision, clashes } = get();
    const isThere = !isLoading && (jobId === null || revision !== null);
    if (isSaving || !isThere) return null;
    if (clashes.length > 0) return refuse(UNDECIDED, {});
    if (Object.keys(mistakesOf(get())).length > 0) return refuse(null, {});
    set({ isSaving: true, failure: null });
    const kept = await bringBack();
    if (kept !== null) return refuse(kept, {});
    let sent = await send();
    if (!sent.reply.ok && sent.reply.error.code === 'conflict') {
      await learn(() => true);
      if (get().clashes.length > 0) return refuse(UNDECIDED, {});
      sent = await send();
    }
    const { form, reply } = sent;
    if (reply.ok) {
      set({ jobId: reply.value.id, revision: reply.value.revision, isSaving: false, initial: form });
      return reply.value;
    }
    if (reply.error.code === 'not_found') set({ isDeleted: true });
    return refuse(reply.error, formPaths(reply.error.fields));
  };

  // What is being saved announces itself too.
  return { save, meet: () => learn(() => get().isOpen && !get().isSaving) };
}
