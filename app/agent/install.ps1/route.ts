import { agentFiles } from "@/server/devices/agents/install/agent-files";
import { download } from "@/server/doors/http/download";

export const GET = download(() => agentFiles().script("install.ps1"));
