import { agentFiles } from "@/server/agents/install/agent-files";
import { download } from "@/server/http/download";

export const GET = download(() => agentFiles().manifest());
