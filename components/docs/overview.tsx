import { Text } from "@mantine/core";
import { CodeBlock } from "@/components/ui/code/code-block";
import { Section } from "@/components/ui/section";
import classes from "./docs.module.css";
import { Members } from "./members";
import type { ApiDocument } from "./openapi";

const SCHEME: Record<string, string> = {
  accessToken: "Access token",
  apiKey: "API key",
  agentToken: "Agent token",
  session: "Browser session",
};

/** What all operations share: base URL, authentication, errors. */
export function Overview({ document }: { document: ApiDocument }) {
  const { base, version, securitySchemes, schemas } = document;
  const first = `curl -X POST "${base}/auth/token" \\
  -H "Content-Type: application/json" \\
  -d '{"email": "jane.doe@example.com", "password": "…"}'`;
  return (
    <>
      <Section title="Address" lead={`Version ${version}. JSON in UTF-8, camelCase keys, times in ISO 8601 with Z.`}>
        <CodeBlock code={base} label="Base address" />
      </Section>
      <Section
        title="Credentials"
        lead="Exchange an e-mail address and password for an access token that is valid for 15 minutes, or use an API key."
      >
        <dl className={classes.schemes}>
          {Object.entries(securitySchemes).map(([name, scheme]) => (
            <div key={name}>
              <dt>{SCHEME[name] ?? name}</dt>
              <dd>{scheme.description}</dd>
            </div>
          ))}
        </dl>
        <CodeBlock code={first} label="Getting a token" />
      </Section>
      {schemas.Problem && (
        <Section title="Errors">
          <Text mb="md" maw={640}>
            Every error is application/problem+json (RFC 9457). Its code is stable. Quote its requestId when you report
            a problem.
          </Text>
          <Members schema={schemas.Problem} schemas={schemas} label="Fields of an error" />
        </Section>
      )}
    </>
  );
}
