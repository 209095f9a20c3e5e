namespace Ioxide.BadNetwork;

/// <summary>How much is played: some rows by continuous integration, all of them by <c>eng/bad-network.sh</c>.</summary>
internal static class Extent
{
    /// <summary>Whether all rows are played.</summary>
    internal static bool IsFull { get; } = Environment.GetEnvironmentVariable("IOXIDE_BAD_NETWORK") == "full";

    /// <summary>Bytes of a large body.</summary>
    internal static int LargeBytes => IsFull ? 5_000_000 : 500_000;

    internal static Subject[] Subjects { get; } = Enum.GetValues<Subject>();

    /// <summary>Those whose server is here.</summary>
    internal static Subject[] Servers { get; } = [Subject.Http1, Subject.Tls, Subject.Http2];

    /// <summary>Those whose client is here.</summary>
    internal static Subject[] Clients { get; } = [Subject.Pg, Subject.Outbound];

    /// <summary>A row for each subject; without the full extent for a few.</summary>
    internal static TheoryData<Subject> Rows(Subject[] subjects, params Subject[] few) => [.. IsFull ? subjects : few];

    /// <summary>A row for each subject and value; without the full extent for a few subjects and the first value.</summary>
    internal static TheoryData<Subject, T> Rows<T>(Subject[] subjects, IEnumerable<T> values, params Subject[] few)
    {
        var rows = new TheoryData<Subject, T>();
        foreach (T value in IsFull ? values : values.Take(1))
        {
            foreach (Subject subject in IsFull ? subjects : few)
            {
                rows.Add(subject, value);
            }
        }

        return rows;
    }
}
