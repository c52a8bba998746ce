/** A parsed log line. host and pid are null if the format lacks them. */
export type ParsedLine = {
  time: Date;
  program: string;
  pid: number | null;
  host: string | null;
  message: string;
  priority: number | null;
};

/** Facts that a line lacks. */
export type LineContext = { program: string; fallbackTime: Date; now: Date };

const PRI = /^<(\d{1,3})>/;
const SYSLOG_ISO = /^(\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?) (\S+) ([^\s:[]+)(?:\[(\d+)\])?: ?(.*)$/;
const SYSLOG_BSD = /^([A-Z][a-z]{2} +\d{1,2}) (\d\d:\d\d:\d\d) (\S+) ([^\s:[]+)(?:\[(\d+)\])?: ?(.*)$/;
const DPKG = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (.*)$/;
const ALTERNATIVES = /^(update-alternatives) (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d): (.*)$/;
const DAY_MS = 86_400_000;

/** Syslog's old format has no year: chooses the one that puts the line in the past. */
function withYear(date: string, clock: string, now: Date): Date {
  const time = new Date(`${date} ${now.getFullYear()} ${clock}`);
  if (time.getTime() > now.getTime() + DAY_MS) time.setFullYear(now.getFullYear() - 1);
  return time;
}

/** True for a valid date in the server's range. */
const isStorable = (time: Date): boolean => time.getTime() >= 0 && time.getTime() < Date.UTC(9999, 0, 1);

type Parts = { time: Date; program?: string; pid?: string; host?: string; message: string };

function split(text: string, now: Date): Parts | null {
  let m = SYSLOG_ISO.exec(text);
  if (m) return { time: new Date(m[1]!.replace(",", ".")), host: m[2], program: m[3], pid: m[4], message: m[5]! };
  m = SYSLOG_BSD.exec(text);
  if (m) return { time: withYear(m[1]!, m[2]!, now), host: m[3], program: m[4], pid: m[5], message: m[6]! };
  m = ALTERNATIVES.exec(text);
  if (m) return { time: new Date(`${m[2]}T${m[3]}`), program: m[1], message: m[4]! };
  m = DPKG.exec(text);
  return m && { time: new Date(`${m[1]}T${m[2]}`), message: m[3]! };
}

/** Parses a line of syslog (either format), dpkg or alternatives; otherwise the whole line is the message. */
export function parseLine(line: string, { program, fallbackTime, now }: LineContext): ParsedLine {
  const pri = PRI.exec(line);
  const text = pri ? line.slice(pri[0].length) : line;
  const parts = split(text, now) ?? { time: fallbackTime, message: text };
  return {
    time: isStorable(parts.time) ? parts.time : fallbackTime,
    program: parts.program ?? program,
    pid: parts.pid ? Number(parts.pid) : null,
    host: parts.host ?? null,
    message: parts.message,
    priority: pri ? Number(pri[1]) : null,
  };
}
