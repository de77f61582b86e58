/** What happened to the form behind its user's back: a draft that came back, and what others did to the job meanwhile. */
import { History, Info, TriangleAlert } from 'lucide-react';
import { jobKinds } from '../../../shared/kinds/registry';
import { whereForm } from '../../../shared/kinds/where';
import { listed, moment } from '../../format';
import { useSelected } from '../../store/select';
import { Banner } from '../../ui/banner';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { useNow, useStores } from '../stores';
import { texts } from './texts';

const words = texts.notes;

export function EditorNotes() {
  return (
    <>
      <DraftNote />
      <ElsewhereNote />
    </>
  );
}

function DraftNote() {
  const { editor, navigation } = useStores();
  const at = useSelected(editor, (state) => state.broughtBackAt);
  const now = useNow('minute');
  if (at === null) return null;
  const discard = (): void => {
    editor.getState().discard();
    navigation.leaveEditor();
  };
  return (
    <Banner
      kind="info"
      icon={<Icon of={History} />}
      title={words.draft(moment(at, now))}
      actions={
        <Button isSmall onPress={discard}>
          {words.discardDraft}
        </Button>
      }
    />
  );
}

/** Each field once, by the name it has on the screen. */
const namesOf = (paths: readonly string[]): string => {
  const fields = [...Object.values(jobKinds).flatMap(({ form }) => form.fields), ...whereForm.fields];
  const nameOf = (path: string): string =>
    fields.find((field) => `settings.${field.path}` === path)?.label ??
    words.fields[path as keyof typeof words.fields] ??
    path;
  return listed([...new Set(paths.map(nameOf))]);
};

function ElsewhereNote() {
  const { editor } = useStores();
  const isDeleted = useSelected(editor, (state) => state.isDeleted);
  const clashes = useSelected(editor, (state) => state.clashes);
  const taken = useSelected(editor, (state) => state.taken);
  if (isDeleted) return <Banner kind="warn" icon={<Icon of={TriangleAlert} />} title={words.deleted} />;
  if (clashes.length > 0) {
    return (
      <Banner
        kind="warn"
        icon={<Icon of={TriangleAlert} />}
        title={words.changed}
        actions={
          <>
            <Button isSmall onPress={() => editor.getState().keepMine()}>
              {words.keepMine}
            </Button>
            <Button isSmall onPress={() => editor.getState().takeTheirs()}>
              {words.takeTheirs}
            </Button>
          </>
        }
      >
        {words.clashes(namesOf(clashes))}
      </Banner>
    );
  }
  if (taken.length === 0) return null;
  return (
    <Banner kind="info" icon={<Icon of={Info} />} title={words.changed}>
      {words.taken(namesOf(taken))}
    </Banner>
  );
}
