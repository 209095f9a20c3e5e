namespace Ioxide.Http2.Tests;

/// <summary>One difference from stock that is allowed.</summary>
/// <param name="Name">The case, in a few words.</param>
/// <param name="Seed">A program that shows it.</param>
/// <param name="Level">Takes the difference out of both texts where the case is met, and nothing else.</param>
internal sealed record ProgramExcuse(string Name, int Seed, Func<ProgramCase, ProgramCase> Level)
{
    /// <summary>It is shown over TLS; else in clear text.</summary>
    internal bool IsTls { get; init; }

    /// <summary>Where both have the same by chance: whether this is the case nevertheless. Null where the case always differs.</summary>
    internal Func<ProgramCase, bool>? IsCase { get; init; }

    private const int MostTogether = 3;

    /// <summary>The fewest of the list that take the whole difference out; none where there is no difference, and null where they do not suffice.</summary>
    internal static IReadOnlyList<ProgramExcuse>? Needed(IReadOnlyList<ProgramExcuse> list, ProgramCase seen)
    {
        if (seen.IsSame)
        {
            return [];
        }

        for (int count = 1; count <= MostTogether; count++)
        {
            if (Needed(list, seen, count) is { } needed)
            {
                return needed;
            }
        }

        return null;
    }

    private static ProgramExcuse[]? Needed(IReadOnlyList<ProgramExcuse> list, ProgramCase seen, int count)
    {
        for (int index = 0; index <= list.Count - count; index++)
        {
            ProgramCase levelled = list[index].Level(seen);
            if (levelled == seen)
            {
                continue;
            }

            if (count == 1 && levelled.IsSame)
            {
                return [list[index]];
            }

            if (count > 1 && Needed([.. list.Skip(index + 1)], levelled, count - 1) is { } others)
            {
                return [list[index], .. others];
            }
        }

        return null;
    }
}
