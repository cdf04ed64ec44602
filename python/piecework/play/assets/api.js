// Asks the server. Addresses are relative, so that they contain the token of the page's own address.

import { addMessages, t } from "./messages.js";

addMessages({
  en: {
    "api.silent": "The server does not answer. Start piecework play again.",
    "api.status": "The server answered with the status {status}.",
  },
  zh: {
    "api.silent": "服务器没有响应。请重新启动 piecework play。",
    "api.status": "服务器返回状态码 {status}。",
  },
});

export class RequestError extends Error {}

async function answered(promise) {
  let response, text, data;
  try {
    response = await promise;
    text = await response.text(); // fails if the server ends meanwhile
  } catch {
    throw new RequestError(t("api.silent"));
  }
  try {
    data = JSON.parse(text);
  } catch {
    throw new RequestError(t("api.status", { status: response.status }));
  }
  if (!response.ok) {
    throw new RequestError(data.hint ? `${data.error}; ${data.hint}` : data.error);
  }
  return data;
}

export function getSession() {
  return answered(fetch("api/session"));
}

// A signal that is aborted closes the connection, at which the server ends its work.
export function ask(name, members, signal) {
  const body = JSON.stringify(members);
  return answered(fetch(`api/${name}`, { method: "POST", body, signal, headers: { "content-type": "application/json" } }));
}

// Asks with the last arguments only: a newer question replaces one that waits, and at most one is under way. `run` gets the
// arguments and a signal, which a newer question aborts; it may ignore it.
export class LatestQuestion {
  constructor(run, done, failed, idle = () => {}) {
    [this.run, this.done, this.failed, this.idle] = [run, done, failed, idle];
    this.waiting = this.controller = null;
    this.isBusy = false;
  }

  async ask(...values) {
    this.cancel();
    this.waiting = values;
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting) {
      const values = this.waiting;
      this.waiting = null;
      this.controller = new AbortController();
      const { signal } = this.controller;
      try {
        const answer = await this.run(...values, signal);
        if (!signal.aborted) this.done(answer, ...values);
      } catch (error) {
        if (!signal.aborted) this.failed(error);
      }
    }
    this.isBusy = false;
    this.idle();
  }

  // Drops the question: neither an answer nor an error follows.
  cancel() {
    this.waiting = null;
    this.controller?.abort();
  }
}

export async function readFiles(files) {
  const contents = [];
  for (const file of files) contents.push([file.name, await base64(file)]);
  return Object.fromEntries(contents);
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
