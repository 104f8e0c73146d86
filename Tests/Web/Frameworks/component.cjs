// Compiles App.vue of a folder into App.js and render.js there. Debian's Vue is 2.6; a component with options and a
// template like this one is the same in Vue 3. Its render function is a script and no module, because it needs `with`.
const { readFileSync, writeFileSync } = require('node:fs')
const { compile, parseComponent } = require('vue-template-compiler')

const folder = process.argv[2]
const { script, template } = parseComponent(readFileSync(`${folder}/App.vue`, 'utf8'))
const { render, staticRenderFns, errors, tips } = compile(template.content)
if (errors.length || tips.length || staticRenderFns.length) throw new Error([...errors, ...tips, 'a static part'].join('\n'))
writeFileSync(`${folder}/render.js`, `window.appRender = function () { ${render} }\n`)
writeFileSync(`${folder}/App.js`, script.content.replace('export default {', 'export default {\n  render: window.appRender,'))
