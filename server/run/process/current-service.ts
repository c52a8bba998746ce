import type { RequestListener } from "node:http";
import { log } from "@/server/ground/log";
import type { Service } from "./service";

/**
 * The current service. Requests wait while it is replaced; if the next cannot start, they are refused until a later one
 * can.
 */
export class CurrentService {
  #service: Promise<Service>;

  constructor(start: () => Promise<Service>) {
    this.#service = start();
  }

  get(): Promise<Service> {
    return this.#service;
  }

  replace(start: () => Promise<Service>): Promise<unknown> {
    const stopped = this.#service.then(async (service) => {
      service.closeStreams();
      await service.stop();
    });
    this.#service = stopped.catch(() => {}).then(start);
    return this.#service.catch((error) => log.error({ err: error }, "the changed service does not start"));
  }

  readonly listener: RequestListener = (incoming, outgoing) => {
    this.#service.then(
      ({ listener }) => listener(incoming, outgoing),
      () => outgoing.writeHead(503, { "Retry-After": "2" }).end("The service does not start; its log says why.\n"),
    );
  };
}
