using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Ioxide.Files.Tests;

/// <summary>An endpoint beside the files.</summary>
internal sealed record GeneratedRoute(
    string Name, GeneratedRoute.Kind Mapped, GeneratedPattern Pattern, string[] Methods, GeneratedGroup? Group,
    GeneratedConvention[] Conventions, GeneratedAnswer Answer)
{
    internal const string Late = "endpoint that came later";

    internal enum Kind
    {
        /// <summary>For all methods.</summary>
        Map,

        /// <summary>For some.</summary>
        MapMethods,

        /// <summary>Behind all others.</summary>
        MapFallback,

        /// <summary>Answers 404 below a prefix, before any middleware behind routing.</summary>
        MapShortCircuit,
    }

    /// <summary>Whether the application has it only after some requests.</summary>
    internal bool IsLate { get; init; }

    internal IReadOnlyList<string> Features => Mapped == Kind.MapShortCircuit ? [nameof(Kind.MapShortCircuit)] :
    [
        $"{Mapped}", .. IsLate ? [Late] : Array.Empty<string>(), .. Pattern.Features, .. Methods.Select(static method => $"method {method}"),
        .. Conventions.Select(static convention => convention.Feature), $"answer {Answer}",
        .. Group is null ? [] : Group.Conventions.Select(static convention => $"group: {convention.Kind}").Append(
            Group.HasParameter ? "group with a parameter" : "group"),
    ];

    internal static GeneratedRoute Of(
        FaultDice dice, int number, ApplicationServices services, IReadOnlyList<GeneratedGroup> groups, IReadOnlyList<string> paths)
    {
        Kind kind = dice.Pick([Kind.Map, Kind.Map, Kind.MapMethods, Kind.MapMethods, Kind.MapMethods, Kind.MapFallback, Kind.MapShortCircuit]);
        string[] methods = kind == Kind.MapMethods
            ? dice.Pick<string[]>([["GET"], ["GET"], ["GET", "HEAD"], ["POST"], ["HEAD"], ["GET", "POST"], ["PURGE"], ["OPTIONS"]])
            : [];
        GeneratedGroup? group = kind != Kind.MapShortCircuit && groups.Count > 0 && dice.Hits(250) ? dice.Pick(groups) : null;
        string path = dice.Pick(paths)[1..];
        if (group is { HasParameter: false } && $"/{path}".StartsWith(group.Prefix + "/", StringComparison.Ordinal))
        {
            path = path[group.Prefix.Length..].TrimStart('/');
        }
        else if (group is { HasParameter: true } && path.IndexOf('/', StringComparison.Ordinal) is > 0 and int slash)
        {
            path = path[(slash + 1)..];
        }

        GeneratedPattern pattern = kind == Kind.MapShortCircuit ? Below(path.Split('/')[0]) : GeneratedPattern.Near(dice, path);
        GeneratedConvention[] conventions = kind == Kind.MapShortCircuit ? [] : dice.Several(2, () => GeneratedConvention.Of(dice, services));
        return new GeneratedRoute($"e{number}", kind, pattern, methods, group, conventions, dice.Pick(GeneratedAnswers.All));
    }

    internal string Sample(FaultDice dice) => (Group?.Sample(dice) ?? "") + Pattern.Sample(dice);

    internal void MapOn(IEndpointRouteBuilder endpoints)
    {
        if (Mapped == Kind.MapShortCircuit)
        {
            endpoints.MapShortCircuit(404, Pattern.Text);
            return;
        }

        IEndpointConventionBuilder builder = Mapped switch
        {
            Kind.Map => endpoints.Map(Pattern.Text, HandleAsync),
            Kind.MapMethods => endpoints.MapMethods(Pattern.Text, Methods, HandleAsync),
            _ => endpoints.MapFallback(Pattern.Text, HandleAsync),
        };
        builder.WithMetadata(new DecidingFeatures(Features));
        Array.ForEach(Conventions, convention => convention.Apply(builder));
    }

    public override string ToString() => $"{(Group is null ? "app" : Group)}.{Mapped}(\"{Pattern.Text}\""
        + $"{(Methods.Length > 0 ? $", [{string.Join(' ', Methods)}]" : "")}){string.Concat(Conventions.AsEnumerable())} => {Name}, {Answer}";

    private static GeneratedPattern Below(string segment) => new(segment, _ => $"/{segment}/x", []);

    private Task HandleAsync(HttpContext context) => Answer.WriteAsync(context, Name);
}
