import * as Vue from './vue.esm-browser.js'
import App from './App'

const render = window.appRender(Vue)
// It reads its names by `with`, as the functions do that Vue compiles in a browser.
render._rc = true
Vue.createApp({ ...App, render }).mount('main')
