// The harness against servers that answer as recorded: with the very answers every step passes; a changed answer is
// noticed in the step that it belongs to.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpClient } from './http-client.ts';
import { Kubectl } from './kubectl.ts';
import { RecordedServer, type AnswerChange } from './recorded-server.ts';
import { isCompared, loadRecordings, type Answer, type Recording } from './recording.ts';
import { replayAndCompare, type RecordingResult } from './replay-and-compare.ts';

// Those that mostly wait (watches, controllers) would take minutes; compare-answer.test.ts has their answers.
const recordings = loadRecordings([]).filter(
  (recording) =>
    /^(admission|authz|crd|crud|discovery|list)-/.test(recording.name) && RecordedServer.canPlay(recording),
);

async function play(recording: Recording, change?: AnswerChange): Promise<RecordingResult> {
  const server = await RecordedServer.start(recording, change);
  const target = { server: server.url };
  const client = new HttpClient(target);
  const kubectl = new Kubectl('kubectl', target, undefined);
  try {
    return await replayAndCompare(recording, { client, kubectl });
  } finally {
    kubectl.close();
    client.close();
    await server.close();
  }
}

function hasSteps(recording: Recording): boolean {
  return recording.steps.every((step) => step.do === undefined || step.do === 'request');
}

describe('replay', () => {
  it('passes every step of a server that answers as recorded', async () => {
    assert.ok(recordings.length > 50);
    for (const recording of recordings) {
      const { failed, done } = await play(recording);
      assert.deepEqual(failed, [], recording.name);
      assert.equal(done, recording.steps.length);
    }
  });

  it('fails exactly the compared steps whose status differs', async () => {
    for (const recording of recordings.filter(hasSteps).slice(0, 15)) {
      // Not where a later step needs something of the answer.
      const isChanged = (index: number): boolean => index % 5 === 0 && recording.steps[index]?.save === undefined;
      const change: AnswerChange = (answer, index) =>
        isChanged(index) && answer.status !== undefined
          ? { ...answer, status: answer.status === 418 ? 419 : 418 }
          : answer;
      const { failed } = await play(recording, change);
      const expected = recording.steps.flatMap((step, index) =>
        isChanged(index) && isCompared(step) && step.answer.status !== undefined ? [index + 1] : [],
      );
      assert.deepEqual(
        failed.map(({ step }) => step),
        expected,
        recording.name,
      );
    }
  });

  it('notices a missing header, an extra field and a changed text', async () => {
    const changes: Readonly<Record<string, (answer: Answer) => Answer>> = {
      'missing header': (answer) => ({ ...answer, headers: {} }),
      'extra field': (answer) => ({ ...answer, body: { ...(answer.body as object), unheardOf: true } }),
      'changed text': (answer) => ({ ...answer, body: { ...(answer.body as object), kind: 'Other' } }),
    };
    const recording = recordings.find(({ name }) => name === 'crud-update');
    assert.ok(recording);
    for (const [title, change] of Object.entries(changes)) {
      const last = recording.steps.findLastIndex((step) => isCompared(step) && step.answer.body !== undefined);
      const { failed } = await play(recording, (answer, index) => (index === last ? change(answer) : answer));
      assert.deepEqual(
        failed.map(({ step }) => step),
        [last + 1],
        title,
      );
    }
  });
});
