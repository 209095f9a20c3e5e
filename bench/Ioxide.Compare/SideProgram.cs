namespace Ioxide.Compare;

/// <summary>The programs that serve the sides.</summary>
internal enum SideProgram
{
    /// <summary>One ASP.NET Core application on any transport.</summary>
    LoadHost,

    /// <summary>The runtime alone, without Kestrel.</summary>
    Echo,

    /// <summary>System.Net.Sockets alone.</summary>
    SocketServer,

    /// <summary>The C server.</summary>
    Liburing,
    Nginx,
}
