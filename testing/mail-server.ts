import { SMTPServer } from "smtp-server";
import { portOf } from "./port-of";

export type MailServer = { url: string; mails: { to: string[]; text: string }[]; close: () => Promise<void> };

type Options = { refuse?: boolean; slow?: () => Promise<void> };

/**
 * A real SMTP server on loopback that stores mails; `refuse` answers 550 to every recipient, and a mail is accepted
 * after `slow`.
 */
export function startMailServer({ refuse = false, slow }: Options = {}): Promise<MailServer> {
  const mails: MailServer["mails"] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, done) => done(refuse ? new Error("no such mailbox") : undefined),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        mails.push({ to: session.envelope.rcptTo.map((r) => r.address), text: Buffer.concat(chunks).toString("utf8") });
        if (slow) void slow().then(() => done());
        else done();
      });
    },
  });
  return new Promise((resolve) => {
    const listening = server.listen(0, "127.0.0.1", () => {
      const port = portOf(listening);
      resolve({
        url: `smtp://127.0.0.1:${port}`,
        mails,
        close: () => new Promise((closed) => server.close(() => closed())),
      });
    });
  });
}
