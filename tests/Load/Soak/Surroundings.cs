using System.Net;

namespace Ioxide.Soak;

/// <summary>What every worker and every fault works with.</summary>
internal sealed record Surroundings(ServerProcess Server, Counters Counters, Gate Gate)
{
    /// <summary>Nothing that moves for so long hangs.</summary>
    internal const int PatienceMs = 10_000;

    /// <summary>The sites of the server: an application that stays, one that is restarted, the runtime alone, and every package.</summary>
    internal const string Sites = "kestrel:2,kestrel:1,raw:1,packages:1";

    /// <summary>Which of the sites is restarted: the second application.</summary>
    internal const int SecondIndex = 1;

    /// <summary>Which of the sites has its listener restarted.</summary>
    internal const int RawIndex = 2;

    /// <summary>Which of the sites has every package.</summary>
    internal const int PackagesIndex = 3;

    /// <summary>Enough for every load and every other fault, and too few for <see cref="FaultDeck"/>'s pressure on descriptors.</summary>
    internal const int MaxOpenFiles = 800;

    internal IPEndPoint Main => Server.EndPoints[0];

    internal IPEndPoint Second => Server.EndPoints[SecondIndex];

    internal IPEndPoint Raw => Server.EndPoints[RawIndex];

    internal IPEndPoint Packages => Server.EndPoints[PackagesIndex];

    /// <summary>Held by who uses descriptors up and by who needs one for certain: nobody can listen while there is none.</summary>
    internal SemaphoreSlim Descriptors { get; } = new(1);
}
