// The WebSocket: intents out, answers and poses in; comes back by itself when the server was away.

import { decode, type PoseMessage } from "./poses";
import { VERSION, type Answer, type Intent } from "./protocol";

export interface Listener {
  answer(answer: Answer): void;
  poses(message: PoseMessage): void;
  connected(is: boolean): void;
}

/** First and longest wait before another try, milliseconds. */
const WAITS = [250, 4000] as const;

export class Connection {
  private socket: WebSocket | null = null;
  private wait: number = WAITS[0];

  constructor(private readonly listener: Listener) {
    this.open();
  }

  /** Sends a message; false while not connected. */
  send(intent: Intent): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(intent));
    return true;
  }

  private open(): void {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = WAITS[0];
      this.socket = socket;
      this.send({ intent: "hello", version: VERSION });
      this.listener.connected(true);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") {
        this.listener.answer(JSON.parse(data) as Answer);
        return;
      }
      const message = decode(data as ArrayBuffer);
      if (message) this.listener.poses(message);
    };
    socket.onclose = () => {
      this.socket = null;
      this.listener.connected(false);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, WAITS[1]);
    };
  }
}
