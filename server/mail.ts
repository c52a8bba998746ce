import { createTransport } from "nodemailer";
import { env } from "./env";
import { AppError } from "./errors";
import { log } from "./log";

export type Mail = { to: string; subject: string; text: string };

/** A mail server that does not answer must not keep a request waiting. */
const TIMEOUT_MS = 10_000;

/** Whether this installation can send mail at all. */
export const isMailConfigured = (): boolean => env().SMTP_URL !== undefined;

/**
 * Hands a plain-text mail to the configured server (RFC 5321).
 * @throws AppError unavailable when mail is not configured or the server does not take it.
 */
export async function sendMail({ to, subject, text }: Mail): Promise<void> {
  const { SMTP_URL, SMTP_FROM } = env();
  if (!SMTP_URL) throw new AppError("unavailable", "This installation has no mail server.");
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: SMTP_URL, ...timeouts });
  try {
    await transport.sendMail({ from: SMTP_FROM, to, subject, text });
  } catch (error) {
    log.warn({ err: error }, "a mail could not be sent");
    throw new AppError("unavailable", "The mail server did not take the message. Nothing was sent.");
  } finally {
    transport.close();
  }
}
