using System.Text.Json.Serialization;

namespace Ioxide.Report;

/// <summary>What a side stands for in a comparison.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SideKind>))]
internal enum SideKind
{
    /// <summary>What is measured against the best of the next kind.</summary>
    Ours,

    /// <summary>What .NET ships.</summary>
    Stock,

    /// <summary>Another program, to see how far it goes.</summary>
    Limit,
}
