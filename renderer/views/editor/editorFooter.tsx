/** The way out of the editor: what there is to fix, why saving failed, Cancel and Save. */
import { CircleAlert } from 'lucide-react';
import { counted } from '../../format';
import { isDirty } from '../../store/editor';
import { countMistakes } from '../../store/mistakes';
import { useSelected } from '../../store/select';
import { Banner } from '../../ui/banner';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { useStores } from '../stores';
import { useMistakes } from './fields';
import { useSaveJob } from './saving';
import { texts } from './texts';

export function Footer() {
  const { editor, navigation } = useStores();
  const hasChanges = useSelected(editor, isDirty);
  const isSaving = useSelected(editor, (state) => state.isSaving);
  const mistakes = useMistakes();
  const count = useSelected(editor, (state) => countMistakes(state, mistakes));
  const save = useSaveJob();
  // A form with something to fix is not "without changes", even if nothing was typed into it.
  const rest = count === 0 ? texts.footer.saved : '';
  const state = isSaving ? texts.footer.saving : hasChanges ? texts.footer.unsaved : rest;
  return (
    <footer className="editor-footer" data-region="footer">
      <FailureNote />
      {hasChanges ? <span className="dot" aria-hidden="true" /> : null}
      {state === '' ? null : <span className="editor-state">{state}</span>}
      {count === 0 ? null : (
        <span className="tone-fail editor-count">{texts.footer.fix(counted(count, 'thing'))}</span>
      )}
      <span className="grow" />
      <Button variant="quiet" shortcut="escape" onPress={() => navigation.leaveEditor()}>
        {texts.footer.cancel}
      </Button>
      <Button variant="primary" shortcut="mod+s" onPress={() => void save()}>
        {texts.footer.save}
      </Button>
    </footer>
  );
}

/** Why saving failed, when no field is to blame. What is to be decided stands above the form already. */
function FailureNote() {
  const { editor } = useStores();
  const failure = useSelected(editor, (state) =>
    state.clashes.length > 0 || state.isDeleted ? null : state.failure,
  );
  if (failure === null) return null;
  return (
    <div className="editor-failure">
      <Banner kind="fail" icon={<Icon of={CircleAlert} />} title={failure.message} />
    </div>
  );
}
