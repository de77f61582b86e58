/**
 * Asks the process that runs the jobs to let go. One that does not answer is left alone: it may be alive, and then two would run
 * the same job.
 */
import { useState } from 'react';
import type { Failure } from '../../shared/result';
import { Question } from '../ui/dialog';
import { texts } from './data/texts';
import { useStores } from './stores';

const words = texts.takeOver;

type TakeOverProps = { pid: number | null; runningCount: number; onClose: () => void };

export function TakeOverDialog({ pid, runningCount, onClose }: TakeOverProps) {
  const { status, notices } = useStores();
  const [failure, setFailure] = useState<Failure>();
  const [isAsking, setAsking] = useState(false);
  const takeOver = async (): Promise<void> => {
    if (isAsking) return;
    setAsking(true);
    const reply = await status.getState().takeOver();
    setAsking(false);
    if (!reply.ok) return setFailure(reply.error);
    notices.getState().show(words.done);
    onClose();
  };
  if (failure !== undefined) {
    const isSilent = failure.code === 'busy';
    return (
      <Question
        key="refused"
        title={isSilent ? words.silent : words.failed}
        body={failure.message}
        answers={[{ label: isSilent ? words.wait : words.close, isSafe: true, onChoose: onClose }]}
      />
    );
  }
  return (
    <Question
      key="asked"
      title={words.title}
      body={isAsking ? words.asking : words.body(pid, runningCount)}
      answers={[
        { label: words.no, isSafe: true, onChoose: onClose },
        { label: words.yes, isMain: true, onChoose: () => void takeOver() },
      ]}
    />
  );
}
