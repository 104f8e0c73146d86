import Vue from 'vue'
import App from './App'

new Vue({ ...App, beforeDestroy: App.beforeUnmount }).$mount('main')
