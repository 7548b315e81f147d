// SPDX-License-Identifier: MIT
// A host on the official SDK: client.mjs MODULES legacy|auto http|sse|stdio TO…
// TO: a URL and, if there is one, a token; or a program and its arguments. Prints
// the era, its tools and what TOOL, of the environment, answers (ANSWER: what is
// filled in where it asks); with CHANGES
// there, it stays and prints its tools whenever it is told that they changed.
import { createRequire } from 'node:module';

const require = createRequire(process.argv[2] + '/');
const { Client, SSEClientTransport, StreamableHTTPClientTransport } =
	require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
const [mode, way, to, ...rest] = process.argv.slice(3);

function transport() {
	const requestInit = way !== 'stdio' && rest.length ?
		{ headers: { Authorization: `Bearer ${rest[0]}` } } : undefined;

	if (way === 'stdio')
		return new StdioClientTransport({ command: to, args: rest, env: process.env,
						  stderr: 'inherit' });
	return way === 'sse' ? new SSEClientTransport(new URL(to), { requestInit }) :
			       new StreamableHTTPClientTransport(new URL(to), { requestInit });
}

const names = (tools) => tools.map((tool) => tool.name).join(' ');
const client = new Client(
	{ name: 'sdk-host', version: '2' },
	{
		capabilities: process.env.ANSWER ? { elicitation: {} } : {},
		versionNegotiation: { mode },
		listChanged: { tools: {
			onChanged: (error, tools) =>
				console.log(error ? `failed ${error.message}` : `changed ${names(tools)}`),
		} },
	});

if (process.env.ANSWER)
	client.setRequestHandler('elicitation/create', async ({ params }) => {
		console.log('asked', params.message);
		return { action: 'accept', content: JSON.parse(process.env.ANSWER) };
	});
await client.connect(transport());
console.log('era', client.getProtocolEra());
console.log('tools', names((await client.listTools()).tools));
if (process.env.TOOL) {
	const result = await client.callTool({ name: process.env.TOOL,
					       arguments: JSON.parse(process.env.ARGUMENTS ?? '{}') });

	console.log(result.isError ? 'failed' : 'answer', result.content[0].text);
}
if (process.env.CHANGES)
	await new Promise(() => setInterval(() => {}, 1000));
await client.close();
