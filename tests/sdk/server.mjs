// SPDX-License-Identifier: MIT
// A server on the official SDK of both eras: server.mjs MODULES [http] [modern].
// Over stdio, or at a port that it prints; modern: it serves no session.
import { createRequire } from 'node:module';
import { createServer } from 'node:http';

const require = createRequire(process.argv[2] + '/');
const { McpServer, acceptedContent, createMcpHandler, inputRequired } =
	require('@modelcontextprotocol/server');
const { serveStdio } = require('@modelcontextprotocol/server/stdio');
const { toNodeHandler } = require('@modelcontextprotocol/node');
const { z } = require('zod');
const legacy = process.argv.includes('modern') ? 'reject' : undefined;
let note = 'first';
let handler;

const text = (words) => ({ content: [{ type: 'text', text: words }] });

function factory() {
	const server = new McpServer(
		{ name: 'of-the-sdk', version: '2' },
		{ capabilities: { tools: {}, logging: {}, resources: { subscribe: true } } });

	server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) },
		async ({ text: words }) => text(words));
	server.registerTool('deploy', { inputSchema: z.object({ to: z.string() }) },
		async ({ to }, ctx) => {
			const schema = z.object({ sure: z.boolean() });
			const answer = acceptedContent(ctx.mcpReq.inputResponses, 'sure', schema);

			if (answer)
				return text(answer.sure ? `deployed to ${to}` : 'left alone');
			return inputRequired({ inputRequests: { sure: inputRequired.elicit({
				message: `Deploy to ${to}?`, requestedSchema: schema }) } });
		});
	server.registerTool('write', { inputSchema: z.object({ text: z.string() }) },
		async ({ text: words }) => {
			note = words;
			handler?.notify.resourceUpdated('note://one');
			return text('written');
		});
	server.registerTool('logs', { inputSchema: z.object({ lines: z.number() }) },
		async ({ lines }, ctx) => {
			for (let i = 1; i <= lines; i++)
				await ctx.mcpReq.log('info', `line ${i} of ${lines}`);
			return text('logged');
		});
	server.registerResource('note', 'note://one', { mimeType: 'text/plain' },
		async (uri) => ({ contents: [{ uri: uri.href, text: note }] }));
	return server;
}

if (process.argv.includes('http')) {
	handler = createMcpHandler(factory, { legacy });
	const http = createServer(toNodeHandler(handler));

	http.listen(0, '127.0.0.1', () => console.log(`port ${http.address().port}`));
} else {
	serveStdio(factory, { legacy });
}
