/** The dialogs that ask before something is done. One at a time; each answer is a verb. */
import { span } from '../format';
import type { IfActive } from '../store/jobs';
import type { Question as OpenQuestion } from '../store/place';
import { useSelected } from '../store/select';
import { Question } from '../ui/dialog';
import { DataDialog } from './data/dataDialog';
import { useSaveJob } from './editor/saving';
import { texts as editorTexts } from './editor/texts';
import { useJobActions } from './jobs/actions';
import { texts as jobTexts } from './jobs/texts';
import { PauseDialog } from './pauseDialog';
import { useStores } from './stores';
import { TakeOverDialog } from './takeOverDialog';

export function Questions() {
  const { place } = useStores();
  const question = useSelected(place, (state) => state.question);
  const close = (): void => place.getState().change({ question: null });
  switch (question?.ask) {
    case 'stop':
      return <StopQuestion runId={question.runId} name={question.name} onClose={close} />;
    case 'delete_running':
      return <DeleteQuestion jobId={question.jobId} name={question.name} onClose={close} />;
    case 'run_again':
      return <RunAgainQuestion {...question} onClose={close} />;
    case 'pause':
      return <PauseDialog scope={question.scope} name={question.name} onClose={close} />;
    case 'take_over':
      return <TakeOverDialog pid={question.pid} runningCount={question.runningCount} onClose={close} />;
    case 'data':
      return <DataDialog onClose={close} />;
    case 'leave_editor':
      return <LeaveQuestion go={question.go} onClose={close} />;
    default:
      return null;
  }
}

type Asked<Ask> = Omit<Extract<OpenQuestion, { ask: Ask }>, 'ask'> & { onClose: () => void };

function StopQuestion({ runId, name, onClose }: Asked<'stop'>) {
  const { job } = useStores();
  const actions = useJobActions();
  const graceMs = useSelected(job, (state) => state.detail?.job.policies.graceMs);
  const words = jobTexts.stopQuestion;
  return (
    <Question
      title={words.title(name)}
      body={graceMs === undefined ? words.bodyUnknown : words.body(span(graceMs))}
      answers={[
        { label: words.no, isSafe: true, onChoose: onClose },
        {
          label: words.yes,
          isDanger: true,
          onChoose: () => {
            onClose();
            actions.stopNow(runId, name);
          },
        },
      ]}
    />
  );
}

function RunAgainQuestion({ jobId, name, canBeBeside, onClose }: Asked<'run_again'>) {
  const actions = useJobActions();
  const words = jobTexts.runAgainQuestion;
  const answer = (ifActive: IfActive) => ({
    label: words[ifActive],
    isDanger: ifActive === 'replace',
    onChoose: () => {
      onClose();
      actions.runAgain(jobId, name, ifActive);
    },
  });
  return (
    <Question
      title={words.title(name)}
      answers={[
        { label: words.no, isSafe: true, onChoose: onClose },
        answer('replace'),
        ...(canBeBeside ? [answer('beside')] : []),
        answer('queue'),
      ]}
    />
  );
}

function DeleteQuestion({ jobId, name, onClose }: Asked<'delete_running'>) {
  const actions = useJobActions();
  const words = jobTexts.deleteQuestion;
  return (
    <Question
      title={words.title(name)}
      body={words.body}
      answers={[
        { label: words.no, isSafe: true, onChoose: onClose },
        {
          label: words.yes,
          isDanger: true,
          onChoose: () => {
            onClose();
            actions.removeRunning(jobId, name);
          },
        },
      ]}
    />
  );
}

function LeaveQuestion({ go, onClose }: Asked<'leave_editor'>) {
  const { editor } = useStores();
  const name = useSelected(editor, (state) => state.form.name.trim());
  const save = useSaveJob();
  const words = editorTexts.leave;
  return (
    <Question
      title={words.title(name)}
      answers={[
        { label: words.keep, isSafe: true, onChoose: onClose },
        {
          label: words.discard,
          isDanger: true,
          onChoose: () => {
            onClose();
            editor.getState().discard();
            go();
          },
        },
        {
          label: words.save,
          isMain: true,
          onChoose: () => {
            onClose();
            void save(go);
          },
        },
      ]}
    />
  );
}
