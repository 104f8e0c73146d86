// Compiles App.vue of a folder into App.js and render.js there: component.cjs FOLDER [VUE], where VUE is the module of
// Vue 3 with its compiler; without it the compiler is Debian's, of Vue 2.6. A component with options and a template like
// this one is the same in both. Its render function is a script and no module, because it needs `with`.
const { readFileSync, writeFileSync } = require('node:fs')
const { pathToFileURL } = require('node:url')
const { compile, parseComponent } = require('vue-template-compiler')

const [folder, vue] = process.argv.slice(2)
const { script, template } = parseComponent(readFileSync(`${folder}/App.vue`, 'utf8'))
const write = (render, options) => {
  writeFileSync(`${folder}/render.js`, `window.appRender = function (Vue) { ${render} }\n`)
  writeFileSync(`${folder}/App.js`, script.content.replace('export default {', `export default {\n  ${options}`))
}

if (!vue) {
  const { render, staticRenderFns, errors, tips } = compile(template.content)
  if (errors.length || tips.length || staticRenderFns.length) throw new Error([...errors, ...tips, 'a static part'].join('\n'))
  write(render, 'render: window.appRender,')
} else {
  import(pathToFileURL(vue)).then((Vue) => {
    // Vue 3 makes a function of the code, which a page with a policy must not do: the code is taken on its way.
    const own = globalThis.Function
    let code
    // The checks of its expressions are functions without parameters.
    globalThis.Function = function (...parts) { if (parts.length > 1) code = parts.at(-1); return own(...parts) }
    const problem = (error) => { throw error }
    Vue.compile(template.content, { onError: problem, onWarn: problem })
    globalThis.Function = own
    write(code, '')
  })
}
