// A server that answers as a recording says, step after step: what the harness itself is tested against. It can change
// answers, to show that the harness notices. It does not know kubectl steps, nor `each`, whose lists are not recorded.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Recording, Step } from './recording.ts';

/** Changes the answer of a step (index from 0) before it is sent. */
export type AnswerChange = (answer: Answer, index: number) => Answer;

export class RecordedServer {
  readonly #steps: readonly Step[];
  readonly #server: http.Server;
  readonly #watches = new Map<string, http.ServerResponse>();
  /** Index of the step that the last request belonged to. */
  #at = -1;

  private constructor(recording: Recording, change: AnswerChange) {
    this.#steps = recording.steps.map((step, index) => ({ ...step, answer: change(step.answer, index) }));
    this.#server = http.createServer((request, response) => {
      request.resume();
      request.on('end', () => this.#answer(request, response));
    });
  }

  /** Whether a recording has only steps that this server can play. */
  static canPlay({ steps }: Recording): boolean {
    return steps.every(({ do: kind }) => kind !== 'kubectl' && kind !== 'each');
  }

  static async start(recording: Recording, change: AnswerChange = (answer) => answer): Promise<RecordedServer> {
    const server = new RecordedServer(recording, change);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const step = this.#stepOf(request);
    if (step === undefined) {
      response.writeHead(599).end('the recording has no step for this');
      return;
    }
    const { answer } = step;
    if (answer.error !== undefined) {
      request.socket.destroy();
    } else if (step.do === 'watch') {
      response.writeHead(answer.status ?? 200, headersOf(answer));
      response.flushHeaders();
      this.#watches.set(step.id ?? '', response);
    } else if (step.do === 'snapshot') {
      const list = answer.lists?.[request.url ?? ''];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    } else {
      response.writeHead(answer.status ?? 200, headersOf(answer)).end(bodyOf(answer));
    }
    this.#sendEvents();
  }

  // Requests follow one another, except those of a snapshot or of a settling step, which are repeated.
  #stepOf(request: http.IncomingMessage): Step | undefined {
    const present = this.#steps[this.#at];
    if (present?.do === 'snapshot' && present.paths?.includes(request.url ?? '') && request.method === 'GET') {
      const next = this.#steps[this.#at + 1];
      if (next?.do !== undefined || next?.path !== request.url) return present;
    }
    const index = this.#steps.findIndex(
      ({ do: kind = 'request' }, at) => at > this.#at && ['request', 'watch', 'settle', 'snapshot'].includes(kind),
    );
    if (index < 0) return undefined;
    this.#at = index;
    return this.#steps[index];
  }

  /** Sends the events that are read before the next request. */
  #sendEvents(): void {
    for (let index = this.#at + 1; index < this.#steps.length; index++) {
      const step = this.#steps[index];
      if (step?.do !== 'events') {
        if (step?.do === 'close' || step?.do === 'sleep') continue;
        return;
      }
      const stream = this.#watches.get(step.id ?? '');
      for (const event of step.answer.events ?? []) stream?.write(frameOf(event));
      if (step.untilEnd) stream?.end();
    }
  }
}

function headersOf({ headers = {} }: Answer): http.OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

function bodyOf({ body, text, base64 }: Answer): Buffer | string {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return body === undefined ? (text ?? '') : JSON.stringify(body);
}

function frameOf(event: unknown): Buffer | string {
  const { base64, text } = event as { readonly base64?: string; readonly text?: string };
  if (base64 === undefined) return `${text ?? JSON.stringify(event)}\n`;
  const frame = Buffer.from(base64, 'base64');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(frame.length);
  return Buffer.concat([length, frame]);
}
