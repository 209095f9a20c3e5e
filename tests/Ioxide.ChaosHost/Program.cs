// A server in a process of its own, on loopback, for the tests of Ioxide.Chaos. Arguments are --NAME=VALUE:
//   raw                true: the runtime alone with just enough HTTP; otherwise Kestrel on UseIoxide
//   port               where it listens; 0 takes a free port
//   addresses          how many addresses it listens on, from 127.0.0.1 upward; the port is the same only if it was given
//   proxy-port         another port, where connections begin with a PROXY protocol header; 0 takes a free one. Not with raw
//   headers-timeout    seconds that Kestrel waits for a request's head
//   min-rate           bytes a second that a peer has to take of an answer, after 2 s; 0 is without limit
//   shutdown-timeout   seconds until what is still open is aborted
//   Ioxide:OPTION      an option of the transport; with raw only ReactorCount
// It prints "listening ADDRESS" for each address, then "ready". SIGTERM or the end of standard input stops it.
using Ioxide.ChaosHost;
using Microsoft.Extensions.Configuration;

IConfiguration configuration = new ConfigurationBuilder().AddCommandLine(args).Build();
if (configuration.GetValue<bool>("raw"))
{
    await RawHost.RunAsync(configuration);
}
else
{
    await KestrelHost.RunAsync(configuration);
}
