using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Ioxide.AspNetCore;

/// <summary>Options of Kestrel's sockets that an application has set, and that reactors do not read.</summary>
internal static class LostSocketOptions
{
    private const string FinOnError = "Microsoft.AspNetCore.Server.Kestrel.FinOnError";

    private static readonly SocketTransportOptions s_defaults = new();

    /// <summary>Those that are neither the default nor what Ioxide's option of the same name says, and what to do about each.</summary>
    internal static IEnumerable<(string Name, string Remedy)> Find(SocketTransportOptions sockets, IoxideTransportOptions own)
    {
        (string Name, bool IsLost, string Remedy)[] all =
        [
            Twin(nameof(sockets.Backlog), static options => options.Backlog, own.Backlog),
            Twin(nameof(sockets.NoDelay), static options => options.NoDelay, own.NoDelay),
            Twin(nameof(sockets.MaxReadBufferSize), static options => options.MaxReadBufferSize, own.MaxReadBufferSize),
            Twin(nameof(sockets.MaxWriteBufferSize), static options => options.MaxWriteBufferSize, own.MaxWriteBufferSize),
            (nameof(sockets.CreateBoundListenSocket),
                sockets.CreateBoundListenSocket != s_defaults.CreateBoundListenSocket, "Hand your socket in by ListenHandle."),
            (nameof(sockets.IOQueueCount), sockets.IOQueueCount != s_defaults.IOQueueCount, "Set Ioxide:ReactorCount."),
            (nameof(sockets.UnsafePreferInlineScheduling), sockets.UnsafePreferInlineScheduling, "Set Ioxide:ApplicationScheduling."),
            (nameof(sockets.WaitForDataBeforeAllocatingBuffer),
                !sockets.WaitForDataBeforeAllocatingBuffer, "An idle connection has no buffer: remove the setting."),
            ($"FinOnError ({FinOnError})", AppContext.TryGetSwitch(FinOnError, out bool isOn) && isOn, "Remove the switch."),
        ];
        return all.Where(static option => option.IsLost).Select(static option => (option.Name, option.Remedy));

        (string Name, bool IsLost, string Remedy) Twin<T>(string name, Func<SocketTransportOptions, T> read, T twin)
            => (name, !Equals(read(sockets), read(s_defaults)) && !Equals(read(sockets), twin), $"Set Ioxide:{name}.");
    }
}
