#!/usr/bin/python3
"""A stand-in for a Linux desktop on the session bus: a tray host that can read and click the
menu. Prints one JSON line an event and takes one JSON line a command, so that a test sees what the desktop
of a user would be told. Needs python3-dbus and python3-gi."""
import hashlib
import json
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
WATCHER = 'org.kde.StatusNotifierWatcher'
MENU = 'com.canonical.dbusmenu'


def say(**event):
    print(json.dumps(event), flush=True)


class Watcher(dbus.service.Object):
    items = []

    @dbus.service.method(WATCHER, in_signature='s', sender_keyword='sender')
    def RegisterStatusNotifierItem(self, service, sender=None):
        item = (sender, service) if service.startswith('/') else (service, '/StatusNotifierItem')
        self.items.append(item)
        props = dbus.Interface(bus.get_object(*item), 'org.freedesktop.DBus.Properties')
        props.GetAll('org.kde.StatusNotifierItem', reply_handler=self.described, error_handler=print)

    def described(self, values):
        say(event='tray', title=str(values.get('Title', '')), tooltip=str(values.get('ToolTip', ['', '', '', ''])[2]),
            pixmaps=[[int(p[0]), int(p[1])] for p in values.get('IconPixmap', [])])

    @dbus.service.method(WATCHER, in_signature='s')
    def RegisterStatusNotifierHost(self, service):
        pass

    @dbus.service.method('org.freedesktop.DBus.Properties', in_signature='ss', out_signature='v')
    def Get(self, _interface, name):
        return {'IsStatusNotifierHostRegistered': dbus.Boolean(True), 'ProtocolVersion': dbus.Int32(0),
                'RegisteredStatusNotifierItems': dbus.Array([], signature='s')}[name]

    def menu(self):
        name, path = self.items[-1]
        props = dbus.Interface(bus.get_object(name, path), 'org.freedesktop.DBus.Properties')
        where = props.Get('org.kde.StatusNotifierItem', 'Menu')
        return dbus.Interface(bus.get_object(name, where, introspect=False), MENU)

    def entries(self):
        layout = self.menu().GetLayout(dbus.Int32(0), dbus.Int32(-1), dbus.Array([], signature='s'))
        return list(self.flat(layout[1][2]))

    def flat(self, nodes):
        for number, props, children in nodes:
            yield (int(number), str(props.get('label', '')).replace('_', ''), bool(props.get('enabled', True)))
            yield from self.flat(children)

    def look(self):
        item = self.items[-1]
        props = dbus.Interface(bus.get_object(*item), 'org.freedesktop.DBus.Properties').GetAll('org.kde.StatusNotifierItem')
        pixels = b''.join(bytes(p[2]) for p in props.get('IconPixmap', []))
        say(event='trayNow', tooltip=str(props.get('ToolTip', ['', '', '', ''])[2]), picture=hashlib.sha256(pixels).hexdigest())


name = dbus.service.BusName(WATCHER, bus)
watcher = Watcher(bus, '/StatusNotifierWatcher')


def command(_channel, _condition):
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    order = json.loads(line)
    if order['do'] == 'menu':
        say(event='menu', entries=watcher.entries())
    elif order['do'] == 'choose':
        number = next(i for i, label, _enabled in watcher.entries() if label == order['label'])
        watcher.menu().Event(dbus.Int32(number), 'clicked', dbus.Int32(0), dbus.UInt32(0))
        say(event='chosen')
    elif order['do'] == 'tray':
        watcher.look()
    return True


GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, command)
say(event='ready')
loop = GLib.MainLoop()
loop.run()
