// A server in a process of its own, on loopback, for Ioxide.Chaos and Ioxide.Soak. Arguments are --NAME=VALUE:
//   sites              what listens, such as kestrel:2,raw:1: Kestrel on UseIoxide, or the runtime alone with just enough HTTP, each with
//                      so many reactors; kestrel:2 if nothing is said. packages:1 is every package at once, behind TLS; it asks the first site
//   database           the connection string that packages needs
//   port               where a site listens; 0 takes a free port
//   addresses          how many addresses it listens on, from 127.0.0.1 upward; the port is the same only if it was given
//   proxy-port         another port of Kestrel, where connections begin with a PROXY protocol header; 0 takes a free one
//   headers-timeout    seconds that Kestrel waits for a request's head
//   min-rate           bytes a second that a peer has to take of an answer, after 2 s; 0 is without limit
//   shutdown-timeout   seconds until what is still open is aborted
//   Ioxide:OPTION      an option of the transport; of Kernel the runtime alone takes notice, too
// It prints "listening ADDRESS" for each address, then "ready", and takes commands; see ServerCommands. SIGTERM or the end of standard input
// stops it.
using System.Diagnostics;
using System.Runtime.InteropServices;
using Ioxide.LoadServer;
using Microsoft.Extensions.Configuration;

IConfiguration configuration = new ConfigurationBuilder().AddCommandLine(args).Build();

// A terminal sends an interrupt to the whole group; who started this process decides when it ends.
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, static signal => signal.Cancel = true);
TaskCompletionSource stop = Waits.Signal();
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, signal =>
{
    signal.Cancel = true;
    stop.TrySetResult();
});

// The first exception that is logged would load a dozen assemblies, ten mebibytes, at some time of the run.
_ = new StackTrace(fNeedFileInfo: true).ToString();

List<Site> sites = [];
foreach (string site in configuration.GetValue("sites", "kestrel:2")!.Split(','))
{
    sites.Add(await Site.StartAsync(site, configuration, sites));
}

var commands = new ServerCommands(sites);
Console.WriteLine("ready");
await Task.WhenAny(stop.Task, commands.AnswerToEndAsync());
await Task.WhenAll(sites.Select(static site => site.DisposeAsync().AsTask()));
