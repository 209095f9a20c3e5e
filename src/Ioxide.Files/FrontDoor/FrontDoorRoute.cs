using System.Reflection;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http.Metadata;

namespace Ioxide.Files;

/// <summary>One mapped folder at the front door: those of its files that the application's routing gives to it. Immutable.</summary>
/// <param name="files">The folder's end point.</param>
/// <param name="snapshot">The folder as it was judged.</param>
/// <param name="entries">What of it is answered.</param>
internal sealed class FrontDoorRoute(FilesEndpoint files, FileSnapshot snapshot, IReadOnlyCollection<KeyValuePair<string, FileEntry>> entries)
{
    private readonly TargetTable _targets = new(entries);
    private readonly byte[] _prefix = Encoding.ASCII.GetBytes(PathText.ToTarget(files.Prefix));

    internal FilesEndpoint Files { get; } = files;

    internal FileSite Site => Files.Site;

    internal string Prefix { get; } = files.Prefix;

    /// <summary>Whether it is of the snapshot that is served now. A folder that was read anew is judged anew first.</summary>
    internal bool IsCurrent => ReferenceEquals(snapshot, Site.Snapshot);

    /// <summary>Gives what lies behind the prefix, from its slash on.</summary>
    internal bool TryTakePrefix(ReadOnlySpan<byte> target, out ReadOnlySpan<byte> path)
    {
        bool isBelow = target.StartsWith(_prefix) && target.Length > _prefix.Length && target[_prefix.Length] == '/';
        path = isBelow ? target[_prefix.Length..] : default;
        return isBelow;
    }

    /// <summary>What is answered; null: the request is the pipeline's.</summary>
    internal FileEntry? Find(ReadOnlySpan<byte> path) => IsCurrent ? _targets.Find(path) : null;

    /// <summary>
    /// What else the application has said of the end point, or null. The front door knows nothing of authorization, CORS, rate
    /// limits or whatever a metadata asks of a middleware, nor of filters, so it keeps to end points without any.
    /// </summary>
    internal static string? ObstacleOf(Endpoint endpoint)
    {
        if (endpoint.RequestDelegate?.Target is not FilesEndpoint)
        {
            return "a filter or a delegate of its own";
        }

        foreach (object metadata in endpoint.Metadata)
        {
            if (!IsDescription(metadata))
            {
                return metadata.GetType().Name;
            }
        }

        return null;
    }

    /// <summary>Whether it only describes the end point. A type of the application's may do so and ask for something else as well.</summary>
    private static bool IsDescription(object metadata) => metadata switch
    {
        FilesEndpoint or MethodInfo or DebuggerStepThroughAttribute => true,
        IEndpointNameMetadata or IRouteNameMetadata or ITagsMetadata or IEndpointSummaryMetadata or IEndpointDescriptionMetadata
            or IRouteDiagnosticsMetadata or IExcludeFromDescriptionMetadata => Framework.Owns(metadata),
        _ => metadata.GetType().Namespace == typeof(NullableContextAttribute).Namespace,
    };
}
