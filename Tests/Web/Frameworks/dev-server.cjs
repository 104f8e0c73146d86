// Serves a folder at a port as the dev servers of Vite and webpack do, with the proxy of a vite.config.js or a
// webpack.config.js and the library that both have for it: node dev-server.cjs CONFIG FOLDER PORT.
const { createServer } = require('node:http')
const { existsSync, readFileSync, statSync } = require('node:fs')
const { pathToFileURL } = require('node:url')
const { createProxyServer } = require('http-proxy')

const [config, folder, port] = process.argv.slice(2)
const types = { js: 'text/javascript', css: 'text/css', html: 'text/html', svg: 'image/svg+xml' }
import(pathToFileURL(config)).then(({ default: { server, devServer } }) => {
  // Vite has options by path, webpack a list whose entries name their paths.
  const entries = server ? Object.entries(server.proxy)
    : devServer.proxy.flatMap(({ context, ...options }) => context.map((path) => [path, options]))
  const proxies = entries.map(([path, options]) => [path, createProxyServer(options)])
  for (const [, one] of proxies) one.on('error', (error, request, response) => response.writeHead(502).end())
  const listener = createServer((request, response) => {
    const found = proxies.find(([path]) => request.url.startsWith(path))
    if (found) return found[1].web(request, response)
    const file = folder + new URL(request.url, 'http://localhost').pathname
    const path = existsSync(file) && statSync(file).isFile() ? file : folder + '/index.html'
    response.writeHead(200, { 'Content-Type': types[path.split('.').pop()] ?? 'text/plain' }).end(readFileSync(path))
  })
  listener.listen(Number(port), '127.0.0.1')
})
